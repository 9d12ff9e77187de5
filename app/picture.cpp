#include "picture.h"

#include "picture_limits.h"

#include "export/output_file.h"

#include <QBuffer>
#include <QImage>
#include <QImageWriter>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDotsPerInch = 96; ///< a logical pixel is 1/96 inch: widgets' fonts are measured so
constexpr double kPointsPerPixel = 72.0 / kDotsPerInch;

Result<QByteArray> encodePng(const PictureSpec& spec, const QColor& background, const DrawPicture& draw)
{
    QImage image(spec.width, spec.height, QImage::Format_RGB32);
    if (image.isNull())
        return Error(ErrorCode::Limit, "no memory for a picture of this size");
    image.fill(background);
    image.setDevicePixelRatio(spec.scale);
    QPainter painter(&image);
    draw(painter, spec.logicalSize());
    painter.end();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image))
        return Error(ErrorCode::Limit, "cannot encode the picture: " + writer.errorString().toStdString());
    return buffer.data();
}

Result<QByteArray> encodeSvg(const PictureSpec& spec, const QColor& background, const DrawPicture& draw)
{
    const QSize logical = spec.logicalSize();
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(kDotsPerInch);
    generator.setSize({spec.width, spec.height});
    generator.setViewBox(QRect(QPoint(0, 0), logical));
    generator.setTitle(u"Torchline"_s);
    QPainter painter(&generator);
    painter.fillRect(QRect(QPoint(0, 0), logical), background);
    draw(painter, logical);
    painter.end();
    return buffer.data();
}

/// The writer puts the present time into the file; the same picture shall be the same bytes.
void blankDates(QByteArray& pdf)
{
    const QByteArray mark = "/CreationDate (D:";
    for (qsizetype at = pdf.indexOf(mark); at >= 0; at = pdf.indexOf(mark, at)) {
        at += mark.size();
        const QByteArray fixed = "20000101000000";
        for (qsizetype i = 0; i < fixed.size() && at + i < pdf.size() && pdf.at(at + i) != ')'; ++i)
            pdf[at + i] = fixed.at(i);
    }
}

Result<QByteArray> encodePdf(const PictureSpec& spec, const QColor& background, const DrawPicture& draw)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kDotsPerInch);
    writer.setCreator(u"Torchline"_s);
    writer.setPageSize(QPageSize(QSizeF(spec.width * kPointsPerPixel, spec.height * kPointsPerPixel), QPageSize::Point,
        {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter;
    if (!painter.begin(&writer))
        return Error(ErrorCode::Limit, "cannot begin a page of this size");
    painter.scale(spec.scale, spec.scale);
    const QSize logical = spec.logicalSize();
    painter.fillRect(QRect(QPoint(0, 0), logical), background);
    draw(painter, logical);
    painter.end();
    QByteArray pdf = buffer.data();
    blankDates(pdf);
    return pdf;
}

} // namespace

QSize PictureSpec::logicalSize() const
{
    const auto logical = [this](int pixels) { return std::max(1, static_cast<int>(std::lround(pixels / scale))); };
    return {logical(width), logical(height)};
}

Result<QByteArray> encodePicture(const PictureSpec& spec, const QColor& background, const DrawPicture& draw)
{
    if (const auto fault = pictureSizeFault(spec.width, spec.height, spec.scale))
        return Error(ErrorCode::Limit, *fault);
    switch (spec.format) {
    case PictureFormat::Svg:
        return encodeSvg(spec, background, draw);
    case PictureFormat::Pdf:
        return encodePdf(spec, background, draw);
    case PictureFormat::Png:
        break;
    }
    return encodePng(spec, background, draw);
}

Status writePicture(const std::string& path, const PictureSpec& spec, const QColor& background, const DrawPicture& draw)
{
    const auto bytes = encodePicture(spec, background, draw);
    if (!bytes)
        return bytes.error();
    auto file = OutputFile::toPath(path);
    if (!file)
        return file.error();
    file->stream().write(bytes->constData(), bytes->size());
    return file->commit();
}

} // namespace torchline
